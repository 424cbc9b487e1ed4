// Package objectschema describes the built-in kinds of API servers: their types as a [diff.Schema], and the rules of strategic merge
// patches.
//
// It reads a table, table.txt, that its tests write from the Go types of Kubernetes and from the merge schema of server-side apply, both as
// client-go has them:
//
//	go test ./internal/kube/objectschema -run TestTable -update
//
// The types themselves are not imported: they are a quarter of the provider's size, and client-go's merge schema takes a fifth of a second to
// parse. Kinds that API servers build in and client-go leaves out are declared in the tests: CustomResourceDefinitions and APIServices.
package objectschema
