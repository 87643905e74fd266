# SPDX-License-Identifier: GPL-2.0-or-later
# Packages of the Slurm that this was configured for, from the archive that
# "make dist" makes: "make deb" leaves them in build-deb.
EXTRA_DIST += debian/changelog debian/control debian/copyright \
	debian/libsluice-place-dev.install debian/libsluice-place0.install \
	debian/libsluice-place0.symbols \
	debian/not-installed debian/rules debian/sluice-common.examples \
	debian/sluice-common.install debian/sluice-doc.install \
	debian/sluice-doc.lintian-overrides \
	debian/sluice-lustre.dirs debian/sluice-lustre.install \
	debian/sluice-lustre.postrm \
	debian/sluice-plugins.install debian/sluice-plugins.prerm \
	debian/sluice-slurmctld.install debian/sluice-slurmctld.prerm \
	debian/sluice-sluiced.install debian/sluice-sluiced.postrm \
	debian/sluice-slurmd.examples debian/sluice-slurmd.install \
	debian/sluice-slurmd.postrm debian/sluice-slurmd.prerm \
	debian/sluice-tools.install \
	debian/sluice-tools.lintian-overrides debian/source/format

deb: dist
	@test '$(SLURM_SOURCE)' || { \
		echo 'packages need configure --with-slurm-source=DIR'; exit 1; }
	rm -rf build-deb
	mkdir build-deb
	tar -C build-deb -xf $(distdir).tar.xz
	cd build-deb/$(distdir) && \
		SLURM_SOURCE='$(SLURM_SOURCE)' \
		DEB_BUILD_OPTIONS="nocheck $$DEB_BUILD_OPTIONS" \
		dpkg-buildpackage -us -uc -b
	rm -r build-deb/$(distdir)
.PHONY: deb
