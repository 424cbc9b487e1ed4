package enginetest

// Brief names one case of each kind that depends on an API server. Packages takeover, diff and manifest have unit tests for the decisions that they make alone.
var Brief = []string{
	// Takeover decisions for existing and absent objects.
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
	// Reported differences.
	"R3 Never, differences",
	"R4 Never, the dry run is refused as invalid",
	"R10 a kind that the member does not serve",
	// Admission rejects or mutates.
	"D3-PUT Always, the write that takes over is refused",
	"D8 the dry run is forbidden",
	"36 a namespace that is denied, and what is in it",
	"Secret quoted by a policy in a dry run",
	"a mutation adds a field that the live object does not have",
	// Defaults by API servers, and writes of other clients.
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
	// Fields removed from a manifest.
	"a field of a ConfigMap leaves the manifest, server-side apply",
	"a field of a Deployment leaves the manifest, client-side apply",
	"a field of a custom resource leaves the manifest, from server-side to client-side apply",
	// Rejections that only the API server can give, and those that a read predicts.
	"an unknown field is added",
	"another type in a namespace that comes with it",
	"a Deployment's selector cannot be changed",
	// Secrets.
	"IfNoDiff",
	"server-side apply against kubectl",
	// Examples of the documentation.
	"example: a pre-existing workload, IfNoDiff",
	"example: an envelope",
	// Cascading deletion.
	"an object of others",
	"a custom resource of others",
	// The identity of an object with a known name.
	"identity",
}
