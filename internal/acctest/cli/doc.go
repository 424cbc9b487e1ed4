// Package cli gives tests the command line tools that they run: the newest Terraform and OpenTofu, and the oldest supported Terraform. Each is built from its
// module in internal/tools, unless an environment variable has the path of a program. [FromPath] finds one on the PATH instead. The package also builds the
// other tools of [Names], such as the linter and the documentation generator.
package cli
