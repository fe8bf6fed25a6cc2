# Thin: the work is done by meson and by the scripts in dev/. DESTDIR and PREFIX work with install.
PREFIX ?= /usr/local

all:
	dev/setup run
	. dev/lib.sh && configure_as_is build
	ninja -C build

run:
	dev/run

test:
	dev/test

check:
	dev/check

install: all
	meson configure build -Dprefix=$(PREFIX)
	meson install -C build

format:
	dev/format

clean:
	rm -rf build build-*

.PHONY: all run test check install format clean
