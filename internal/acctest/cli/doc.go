// Package cli gives tests the command line tools that they run: the newest Terraform and OpenTofu, and the oldest supported Terraform. They are built from the
// modules in internal/tools, or found on the PATH. The package also builds the linter, the documentation generator, the generator of test CRDs, the
// vulnerability checker and the program that creates releases.
package cli
