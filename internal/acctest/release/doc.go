// Package release tests the release of the provider: the settings in .goreleaser.yml, and the archives that GoReleaser creates with these settings. It also tests
// which modules Dependabot updates.
package release
