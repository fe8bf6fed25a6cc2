# Sourced by the scripts of dev/, from the root of the tree.
# shellcheck shell=sh

# The files by whose being there the meson.build files decide: meson itself would not look again.
optional_files() {
	ls src/*/meson.build tests/*/meson.build tests/*/*/meson.build tests/unit/*/test_*.c \
		tests/fuzz/fuzz_*.c 2>/dev/null || true
}

# configure DIR OPTION...: makes or remakes a meson build folder when its options are not these.
# The compiler is $CC (gcc when unset).
configure() {
	dir=$1
	shift
	CC=${CC:-gcc}
	export CC
	wanted="$CC $*"
	if [ ! -f "$dir/build.ninja" ]; then
		rm -rf "$dir"
		meson setup "$dir" "$@" || return 1
	elif [ "$(cat "$dir/configured" 2>/dev/null)" != "$wanted" ] ||
		[ "$(cat "$dir/optional" 2>/dev/null)" != "$(optional_files)" ]; then
		meson setup --reconfigure "$dir" "$@" || return 1
	fi
	echo "$wanted" >"$dir/configured"
	optional_files >"$dir/optional"
}

# configure_as_is DIR: the same, with the options that an existing folder has.
configure_as_is() {
	if [ ! -f "$1/build.ninja" ]; then
		configure "$1"
	elif [ "$(cat "$1/optional" 2>/dev/null)" != "$(optional_files)" ]; then
		meson setup --reconfigure "$1" && optional_files >"$1/optional"
	fi
}
