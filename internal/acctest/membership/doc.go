// Package membership tests Terraform configurations that register or change members. The tests run sequentially, because all of them use the same members.
package membership
