// Package convert converts between values of the plugin framework and Go values, and from attributes of a resource to attributes of a data source. It is
// independent of any resource.
package convert
