// Package membership tests Terraform with configurations that register members, or change which there are. The tests run one after the other:
// all have the same members.
package membership
