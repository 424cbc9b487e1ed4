package enginetest

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// leaving are cases in which a field is removed from the manifest: the preview shows the removal, and the apply removes the field.
var leaving = slices.Concat(
	leavingUnder("server-side apply", serverSide(false), serverSide(false)),
	leavingUnder("server-side apply with force", serverSide(true), serverSide(true)),
	leavingUnder("client-side apply", takeOver(always), takeOver(always)),
	leavingUnder("from server-side to client-side apply", serverSide(false), takeOver(always)),
	leavingUnder("from client-side to server-side apply", takeOver(always), serverSide(false)),
	[]scenario{
		{
			name: "applied on the server's side before, now on the client's", before: []step{put("kubectl", theirsA2)},
			earlier: configMap("a: '1', b: x"), earlierHow: new(serverSide(true)), placed: placedA1, how: takeOver(always),
			want: Want{Action: updates, Fields: []string{"data.b"}}, after: Has(it, nil, "data", "b"),
		},
		{
			name: "what others have added stays on the way from the server's to the client's side", earlier: configMap("a: '1', b: x"),
			earlierHow: new(serverSide(true)), since: []step{edit("kubectl-edit", it, "{data: {c: theirs}}")}, placed: placedA1, how: takeOver(always),
			want: Want{Action: updates, Fields: []string{"data.b"}}, after: Has(it, "theirs", "data", "c"),
		},
		{
			name: "R3 ours, and a key has left the manifest", before: []step{put("kubectl", theirsA2)}, earlier: configMap("a: '1', b: x"),
			earlierHow: new(serverSide(true)), placed: placedA1, how: reporting(never),
			want: reported("FoundDiff", foundDiff, patch("/data/b", "x", "")),
			inspect: func(c *Case, preview engine.ObjectPreview) {
				c.Helper()
				if preview.Reason != "FoundDiff" {
					c.Errorf("predicted: %s %q", preview.Reason, preview.Message)
				}
			},
		},
	},
)

func configMap(data string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {" + data + "}}"
}

// leavingUnder returns cases in which a field of several kinds is removed: the strategy is before for the earlier apply, and now for the later one.
func leavingUnder(way string, before, now placement.ApplyStrategy) []scenario {
	leaves := func(kind, earlier, placed string, fields ...string) scenario {
		return scenario{
			name: "a field of a " + kind + " leaves the manifest, " + way, earlier: earlier, earlierHow: &before, placed: placed, how: now,
			want: Want{Action: updates, Fields: fields},
		}
	}
	// With credentials that may only read, only an annotation distinguishes the default of a field from a value that was applied.
	replicas := leaves("Deployment's replicas", deployment("replicas: 3", app1), deployment("", app1), "spec.replicas")
	if before.Type == placement.ServerSideApply || now.Type == placement.ServerSideApply {
		replicas.readOnly = updates
	}
	space := leaves("Namespace", namespace("owner: redfield, use: hack"), namespace("owner: redfield"), "metadata.labels.use")
	space.object = "$ns-x"
	return []scenario{
		leaves("ConfigMap", configMap("a: '1', b: x"), placedA1, "data.b"),
		leaves("Secret", "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {a: x, b: x}}",
			"{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {a: x}}", "data.b"),
		leaves("Service", "{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {ports: [{name: a, port: 80}, {name: b, port: 81}]}}",
			"{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {ports: [{name: a, port: 80}]}}", "spec.ports[port=81]"),
		leaves("Service's only port", "{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {ports: [{port: 80}]}}",
			"{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {ports: [{port: 81}]}}", "spec.ports[port=80]", "spec.ports[port=81]"),
		leaves("Deployment", deployment("", app1, side), deployment("", app1), "spec.template.spec.containers[name=side]"),
		replicas,
		leaves("custom resource", part("items: [{name: a}, {name: b}]"), part("items: [{name: a}]"), "spec.items[1]"),
		space,
	}
}
