// Package examples applies every example, and compares the outputs in the documents with Terraform's. The tests run sequentially, because examples register the
// same members.
package examples
