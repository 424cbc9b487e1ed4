// Package world is what tests on real clusters share: clients that are none of the code under test, names of a test's own, and an end that
// leaves nothing behind on clusters which outlive the tests.
//
// Texts of objects may call the world's name $ns. Objects are named as in "apps/v1 Deployment web": one that is in a namespace is in the
// world's own unless it is written "apps/v1 Deployment shop/web".
package world
