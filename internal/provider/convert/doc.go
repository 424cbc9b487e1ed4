// Package convert converts between framework values and Go values: values, collections, paths, and attributes of a resource to attributes of a data
// source. It is independent of any resource.
package convert
