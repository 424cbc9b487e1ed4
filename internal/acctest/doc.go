// Package acctest tests the provider as its users see it: with Terraform itself, against real control planes.
package acctest
