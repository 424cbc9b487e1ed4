package enginetest

// Brief names one case of every kind that an API server has a part in. What packages takeover, diff and manifest decide by themselves has unit
// tests there.
var Brief = []string{
	// What is decided of an object that is there, or not.
	"D1 absent",
	"D3 Always, differences",
	"D3-422 Always, the apply after the takeover is not accepted",
	"D5 IfNoDiff, differences",
	"D6 IfNoDiff, the dry run is refused as invalid",
	"D10 Always, another owner",
	"D15 KubeFleet's, left behind",
	"D18 ours",
	"D19 ours, and another owner",
	"D22 ours, being deleted",
	"D23 server-side apply against other managers",
	// What is reported.
	"R3 Never, differences",
	"R4 Never, the dry run is refused as invalid",
	"R10 a kind that the member does not serve",
	// What admission refuses or changes.
	"D3-PUT Always, the write that takes over is refused",
	"D8 the dry run is forbidden",
	"36 a namespace that is denied, and what is in it",
	"Secret quoted by a policy in a dry run",
	"a rule adds what the member does not have",
	// What API servers fill in, and whoever else writes.
	"12 Deployment, ours, autoscaled",
	"19 a shorter list in a custom resource",
	"26 Job, ours, another image",
	"39 no room for the last applied configuration",
	"42 server-side apply with force",
	"46 removed from the placement, and another owner",
	"49 Service without an address",
	"52 quantities",
	"drifted in an element of a custom resource",
	"defaults of a Deployment",
	"injected sidecar, init container, variable and volume",
	"stringData",
	// What leaves a manifest.
	"a field of a ConfigMap leaves the manifest, server-side apply",
	"a field of a Deployment leaves the manifest, client-side apply",
	"a field of a custom resource leaves the manifest, from server-side to client-side apply",
	// What only an API server can refuse, and what can be seen without asking it to.
	"an unknown field is added",
	"another type in a namespace that comes with it",
	"a Deployment's selector cannot be changed",
	// What is said of Secrets.
	"IfNoDiff",
	"server-side apply against kubectl",
	// What the documentation shows.
	"example: a workload that is there, IfNoDiff",
	"example: an envelope",
	// What a deletion takes with it.
	"a visitor",
	"a custom resource of others",
	// Whose an object is that has a known name.
	"identity",
}
