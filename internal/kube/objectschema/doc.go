// Package objectschema tells what API servers make of the objects of their built-in kinds: a [diff.Schema] from the Go types of Kubernetes and
// from the merge schema of server-side apply, both as client-go has them.
//
// What a value is and whether its zero is dropped is read from the Go types, a structure at a time and only where objects differ. Merge keys
// and what is atomic stand in the merge schema, the text of which takes a fifth of a second to read; that is done once in a process, and not
// before a comparison asks for it.
//
// Kinds that API servers build in and client-go leaves out are declared here: CustomResourceDefinitions and APIServices.
package objectschema
