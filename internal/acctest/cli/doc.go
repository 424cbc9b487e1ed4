// Package cli gives tests the command line tools they drive: the newest
// Terraform and OpenTofu and the oldest Terraform that is supported, built from
// the modules below internal/tools, or whichever is on the PATH. The linter,
// the documentation generator, the generator of test CRDs and the search for
// known vulnerabilities come the same way.
package cli
