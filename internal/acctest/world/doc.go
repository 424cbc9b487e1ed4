// Package world is shared by tests on real clusters: clients that are independent of the code under test, unique names for each test, and a cleanup on clusters
// that outlive the test run.
//
// Manifests may contain the world's name as $ns. Objects are named as in "apps/v1 Deployment web". A namespaced object is in the world's namespace unless its
// name has another one, as in "apps/v1 Deployment shop/web".
package world
