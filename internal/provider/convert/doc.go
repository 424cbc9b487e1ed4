// Package convert turns what the framework has into what Go has and back: values, collections, paths, and the attributes of a resource into
// those of a data source. Nothing in it knows a resource.
package convert
