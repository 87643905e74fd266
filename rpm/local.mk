# SPDX-License-Identifier: GPL-2.0-or-later
# The same for RPM: "make rpm" leaves packages in build-rpm/RPMS. What they need
# to be built is what configure has found; rpm does not know it on Debian.
EXTRA_DIST += rpm/sluice.spec rpm/sluice.rpmlintrc

rpm: dist
	@test '$(SLURM_SOURCE)' || { \
		echo 'packages need configure --with-slurm-source=DIR'; exit 1; }
	rm -rf build-rpm
	rpmbuild -ta $(distdir).tar.xz --define '_topdir $(abs_builddir)/build-rpm' \
		--define 'slurm_source $(SLURM_SOURCE)' \
		--define 'slurm_version $(SLURM_RELEASE)' $(RPMBUILD_FLAGS)
	rm -rf build-rpm/BUILD build-rpm/BUILDROOT
.PHONY: rpm
