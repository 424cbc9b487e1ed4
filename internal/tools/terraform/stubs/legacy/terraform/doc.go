// Package terraform is empty: only tests of Terraform import it, and go mod
// tidy wants it to exist.
package terraform
