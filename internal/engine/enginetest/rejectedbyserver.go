package enginetest

import "strings"

// rejectedByServer are cases in which only the API server knows that it will reject an object. The preview reports the rejection, as kubectl would.
var rejectedByServer = []scenario{
	{
		name: "an unknown field is created", placed: deployment("replica: 3", app1),
		want: refused("ManifestApplyFailed", `unknown field "spec.replica"`), readOnly: creates,
	},
	{
		name: "an unknown field is created under server-side apply", placed: deployment("replica: 3", app1), how: serverSide(false),
		want: refused("ManifestApplyFailed", `unknown field "spec.replica"`), readOnly: creates,
	},
	{
		name: "an unknown field is added", earlier: deployment("", app1), placed: deployment("replica: 3", app1),
		want: refused("ManifestApplyFailed", `unknown field "spec.replica"`), readOnly: updates,
	},
	{
		name: "an unknown field is added under server-side apply", earlier: deployment("", app1), placed: deployment("replica: 3", app1),
		how: serverSide(true), want: refused("ManifestApplyFailed", ".spec.replica: field not declared in schema"), readOnly: updates,
	},
	{
		name: "an unknown field would be taken over", before: []step{put("kubectl", deployment("", app1))}, placed: deployment("replica: 3", app1),
		want: refused("ManifestApplyFailed", `unknown field "spec.replica"`), readOnly: takesOver,
	},
	{
		name: "another type", placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: 1}}",
		want: refused("ManifestApplyFailed", "cannot unmarshal number into Go struct field ConfigMap.data of type string"), readOnly: creates,
	},
	inNewNamespace("another type", "ManifestApplyFailed", "cannot unmarshal number into Go struct field ConfigMap.data of type string",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-x}, data: {a: 1}}"),
	inNewNamespace("an unknown field", "ManifestApplyFailed", `unknown field "spec.replica"`,
		strings.Replace(deployment("replica: 3", app1), "{name: it}", "{name: it, namespace: $ns-x}", 1)),
	inNewNamespace("an invalid value", "ManifestApplyFailed", "spec.replicas: Invalid value: -3",
		strings.Replace(deployment("replicas: -3", app1), "{name: it}", "{name: it, namespace: $ns-x}", 1)),
	inNewNamespace("a name that is too long", "ManifestApplyFailed", "must be no more than 253 ",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: it"+strings.Repeat("x", 252)+", namespace: $ns-x}}", "it"+strings.Repeat("x", 252)),
	inNewNamespace("too much", "ManifestApplyFailed", "Too long: may not be more than 1048576 bytes",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-x}, data: {a: "+strings.Repeat("x", 1500000)+"}}"),
	inNewNamespace("nothing wrong", "", "", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-x}, data: {a: '1'}}"),
}

// inNewNamespace returns the case of an object in a Namespace that the same placement creates.
func inNewNamespace(name, reason, message, placed string, object ...string) scenario {
	s := scenario{name: name + " in a namespace that comes with it", placed: namespace("") + "\n---\n" + placed, readOnly: creates}
	s.want = Want{Action: creates}
	if reason != "" {
		s.want = refused(reason, message)
	}
	s.object = strings.Join(object, "")
	return s
}
