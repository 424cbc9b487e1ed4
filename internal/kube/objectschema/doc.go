// Package objectschema has the types of built-in Kubernetes kinds as a [diff.Schema], and their rules for strategic merge patches.
//
// It reads table.txt, which its tests generate from client-go's Go types and from client-go's merge schema for server-side apply:
//
//	go test ./internal/kube/objectschema -run TestTable -update
//
// The package imports neither the types, which would be a quarter of the provider's size, nor the merge schema, which takes a fifth of a
// second to parse. CustomResourceDefinitions and APIServices are built into API servers, but client-go does not have their types. The tests
// declare these types.
package objectschema
