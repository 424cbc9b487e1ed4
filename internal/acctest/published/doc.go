// Package published has the examples of the documents that the resources are modeled on, written for this provider: a configuration for each example, the
// objects that must exist before it, and its final result. The acceptance tests of each engine call [Walk]. A table of the guides shows the results.
package published
