# SPDX-License-Identifier: GPL-2.0-or-later
# The pages that people read; doc/INDEX.md has them in order. `make html` makes
# HTML of them in html/, where pandoc is; pictures by graphviz where dot is, else
# as they come along.
pages = doc/ADMIN.md \
	doc/APPLICATIONS.md \
	doc/ARCHITECTURE.md \
	doc/FAILURES.md \
	doc/GLOSSARY.md \
	doc/INDEX.md \
	doc/INSTALL.md \
	doc/arbiter.md \
	doc/doctor.md \
	doc/forwarding.md \
	doc/gekkofs.md \
	doc/iostart.md \
	doc/job.md \
	doc/limits.md \
	doc/lustre.md \
	doc/page.md \
	doc/monitoring.md \
	doc/persistent.md \
	doc/pools.md \
	doc/prediction.md \
	doc/recipes.md \
	doc/slurm.md \
	doc/staging.md \
	doc/cache.md \
	doc/storage.md \
	doc/symptoms.md \
	doc/sysquery.md \
	doc/troubleshooting.md \
	doc/tutorial.md \
	doc/upgrading.md \
	doc/watching.md
other_pages = README.md CONTRIBUTING.md SECURITY.md bench/README.md
pictures = doc/pictures/forwarding.svg \
	doc/pictures/job.svg \
	doc/pictures/processes.svg \
	doc/pictures/rooms.svg

dist_doc_DATA += $(pages)
picturesdir = $(docdir)/pictures
dist_pictures_DATA = $(pictures)
EXTRA_DIST += $(pictures:.svg=.dot) doc/page.css tools/draw tools/page-html

html_pages = $(pages:%.md=html/%.html) $(other_pages:%.md=html/%.html)
html_pictures = $(pictures:%=html/%)
html-local: $(html_pages) $(html_pictures)
$(html_pages): html/%.html: %.md tools/page-html doc/page.css
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(srcdir)/tools/page-html $< >$@.new && \
		mv $@.new $@
$(html_pictures): html/%.svg: %.dot tools/draw
	$(AM_V_GEN)$(MKDIR_P) $(@D) && if dot -V 2>/dev/null; then \
		$(srcdir)/tools/draw $< $@; \
	else cp $(<:.dot=.svg) $@; fi
htmldir = $(docdir)/html
install-html-local: html-local
	(cd html && find . -type d) | while read -r dir; do \
		$(MKDIR_P) $(DESTDIR)$(htmldir)/$$dir; done
	(cd html && find . -type f) | while read -r file; do \
		$(INSTALL_DATA) html/$$file $(DESTDIR)$(htmldir)/$$file; done
clean-local:
	rm -rf html
