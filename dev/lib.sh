# Sourced by the scripts of dev/, from the root of the tree.
# shellcheck shell=sh

# configure DIR OPTION...: makes or remakes a meson build folder when its options are not these.
# The compiler is $CC (gcc when unset).
configure() {
	dir=$1
	shift
	CC=${CC:-gcc}
	export CC
	wanted="$CC $*"
	if [ -f "$dir/build.ninja" ]; then
		[ "$(cat "$dir/configured" 2>/dev/null)" != "$wanted" ] || return 0
		meson setup --reconfigure "$dir" "$@" || return 1
	else
		rm -rf "$dir"
		meson setup "$dir" "$@" || return 1
	fi
	echo "$wanted" >"$dir/configured"
}
