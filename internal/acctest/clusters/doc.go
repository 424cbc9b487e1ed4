// Package clusters gives tests real Kubernetes clusters, a hub and members, and a recording proxy in front of them. The clusters run in the binary that is
// built from internal/testcluster, or exist already.
//
// A test package starts its clusters once, in TestMain:
//
//	var env *clusters.Env
//
//	func TestMain(m *testing.M) {
//		os.Exit(clusters.Main(m, clusters.Options{Members: 2}, &env))
//	}
//
//	func TestSomething(t *testing.T) {
//		clusters.Need(t, env)
//		...
//
// Like all acceptance tests they run only with TF_ACC=1. Without it, no cluster starts and such tests are skipped.
//
// With FLEET_TEST_KUBECONFIG set, no cluster starts, except with Options.Own or Options.Ours: the tests use the contexts hub and member-1, member-2, ... of
// that kubeconfig, or those that kind names kind-hub, kind-member-1, ..., renamed to the plain names. Such clusters lack some functions of clusters that the
// tests start. Env.CanStopMembers and Env.Has report which tests to skip.
package clusters
