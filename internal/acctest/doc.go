// Package acctest drives a real Terraform against real control planes: everything the provider promises its users, seen from outside.
package acctest
