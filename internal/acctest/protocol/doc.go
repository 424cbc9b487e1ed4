// Package protocol calls the provider in the process of a test, over Terraform's plugin protocol, with the configurations that users write. It
// does of Terraform's work what tests of one plan, one apply or one error depend on, in milliseconds and without a process of its own.
//
// What it leaves out: modules, variables, locals and outputs; count, for_each, provisioners and lifecycle; graphs, so that blocks are planned and
// applied one after the other as they are written, and depends_on changes nothing; the file of the state, and with it upgrades of state. A test of
// any of these runs Terraform.
package protocol
