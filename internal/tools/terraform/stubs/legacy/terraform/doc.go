// Package terraform is empty: only tests of Terraform import it, and go mod
// tidy requires it.
package terraform
