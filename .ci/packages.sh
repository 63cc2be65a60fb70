# Sourced by .ci/run.

# Installs what is missing: each argument is <command>:<Debian package that has it>.
ensure_packages() {
    local missing=() entry
    for entry in "$@"; do
        command -v "${entry%%:*}" >/dev/null || missing+=("${entry#*:}")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if [[ $(id -u) -ne 0 ]]; then
        echo "Not installed: ${missing[*]}. Run as root, or install them first." >&2
        return 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q -o DPkg::Lock::Timeout=300 update
    apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}"
}
