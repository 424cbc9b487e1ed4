// Package protocol calls the provider in the test process, over Terraform's plugin protocol, with configurations as users write them. It does the part of
// Terraform's work that tests of one plan, one apply or one error depend on, in milliseconds and without a separate process.
//
// It omits modules, variables, locals, outputs, count, for_each, provisioners and lifecycle. It builds no graph: it plans and applies blocks sequentially in
// the order of the text, and depends_on has no effect. It writes no state file, so it does not upgrade state. Tests of these features run Terraform.
package protocol
