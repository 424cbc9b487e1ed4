// Package cli gives tests and the demo the command line tools that they run: the newest Terraform and OpenTofu, the oldest supported Terraform, and kubectl.
// Each is built from its module in internal/tools. For Terraform and OpenTofu, an environment variable can name another program. The package also builds the
// other tools of [Names], such as the linter and the documentation generator.
package cli
