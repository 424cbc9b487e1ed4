// Package protocol calls the provider in the test process, over Terraform's plugin protocol, with configurations as users write them. It does the part of
// Terraform's work that tests of one plan, one apply or one error depend on, in milliseconds and without a separate process.
//
// It omits modules, variables, locals and outputs; count, for_each, provisioners and lifecycle; graphs, so that it plans and applies blocks sequentially in the
// order of the text, and depends_on has no effect; the state file, and so upgrades of state. Tests of these run Terraform.
package protocol
