// Package examples applies every example, and compares what the documents show with what Terraform prints. The tests run one after the other:
// examples register the same members.
package examples
