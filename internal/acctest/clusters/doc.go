// Package clusters gives tests real Kubernetes clusters: a hub and members
// made of the binary that internal/testcluster builds, or clusters that exist
// already, and a recording proxy to put in front of them.
//
// A package of tests starts its clusters once, in TestMain:
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
// Like all acceptance tests they run with TF_ACC=1 only; without it nothing is
// started and such tests are skipped.
//
// With FLEET_TEST_KUBECONFIG set nothing is started: the contexts hub and
// member-1, member-2, ... of that kubeconfig are used, or those that kind
// names kind-hub, kind-member-1, ..., which are given the plain names. Such
// clusters cannot do all that ours can; Env.CanStopMembers and Env.Has tell a
// test what to skip.
package clusters
