#!/bin/sh
# Builds the provider from its source, and installs it in a folder in which terraform init looks for it. It needs git and Go, which downloads the version that
# the provider requires. As soon as the provider is in the registry, remove this script: terraform init then downloads the provider.
set -eu

version=0.0.1
target=$(go env GOOS)_$(go env GOARCH)
folder=$HOME/.terraform.d/plugins/registry.terraform.io/terraform-fleet/fleet/$version/$target

source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
trap 'exit 1' INT TERM
git clone --quiet --depth 1 https://github.com/terraform-fleet/terraform-provider-fleet "$source"
cd "$source"
CGO_ENABLED=0 go build -trimpath -ldflags "-X main.version=$version" -o "$folder/terraform-provider-fleet_v$version" .
