package diff_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// describeFields formats differences as "field path member / hub".
func describeFields(differences []diff.Difference) []string {
	texts := describe(differences)
	for i, d := range differences {
		texts[i] = d.Field + " " + texts[i]
	}
	return texts
}

func TestCompareByMergeKey(t *testing.T) {
	const field, path = "spec.template.spec", "/spec/template/spec"
	container := func(rest string) *unstructured.Unstructured {
		return pods(t, "{containers: [{name: side}, {name: app, "+rest+"}]}")
	}
	const app, appPath = field + ".containers[name=app]", path + "/containers/1"
	tests := map[string]struct {
		desired, live *unstructured.Unstructured
		want          []string
	}{
		"an element that only the member has is reported by its own index": {
			pods(t, "{containers: [{name: app, image: a}]}"), pods(t, "{containers: [{name: side, image: s}, {name: app, image: b}]}"),
			[]string{
				field + `.containers[name=side] ` + path + `/containers/0 {"image":"s","name":"side"} / -`,
				field + `.containers[name=app].image ` + path + `/containers/1/image "b" / "a"`,
			},
		},
		"one that the member lacks is reported behind its end": {
			pods(t, "{containers: [{name: new}, {name: app}]}"), pods(t, "{containers: [{name: app}, {name: side}]}"),
			[]string{
				field + `.containers[name=side] ` + path + `/containers/1 {"name":"side"} / -`,
				field + `.containers[name=new] ` + path + `/containers/2 - / {"name":"new"}`,
			},
		},
		"another order is one difference": {
			pods(t, "{containers: [{name: a}, {name: b}, {name: c}]}"), pods(t, "{containers: [{name: c}, {name: a}, {name: b}]}"),
			[]string{field + ".containers " + path + `/containers ["c","a","b"] / ["a","b","c"]`},
		},
		"another order with a change in it": {
			container("env: [{name: A, value: '1'}, {name: B}]"), container("env: [{name: B}, {name: A, value: '2'}, {name: C}]"),
			[]string{
				app + ".env " + appPath + `/env ["B","A"] / ["A","B"]`, app + ".env[name=A].value " + appPath + `/env/1/value "2" / "1"`,
				app + ".env[name=C] " + appPath + `/env/2 {"name":"C"} / -`,
			},
		},
		"several keys, and one that has its default": {
			container("ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP, name: a}]"),
			container("ports: [{containerPort: 53, protocol: UDP, name: b}, {containerPort: 53, protocol: TCP, hostPort: 1}]"),
			[]string{
				app + ".ports " + appPath + `/ports ["containerPort=53,protocol=UDP","containerPort=53"] / ["containerPort=53","containerPort=53,protocol=UDP"]`,
				app + ".ports[containerPort=53,protocol=UDP].name " + appPath + `/ports/0/name "b" / "a"`,
				app + ".ports[containerPort=53].hostPort " + appPath + "/ports/1/hostPort 1 / -",
				app + ".ports[containerPort=53].protocol " + appPath + `/ports/1/protocol "TCP" / -`,
			},
		},
		"a key that is another type of value": {
			container("ports: [{containerPort: '53', protocol: TCP}]"), container("ports: [{containerPort: 53, protocol: TCP}]"),
			[]string{app + ".ports[containerPort=53].containerPort " + appPath + `/ports/0/containerPort 53 / "53"`},
		},
		"ports of a Service": {
			thing(t, "v1", "Service", "spec: {ports: [{port: 80, targetPort: 8080}, {port: 81}]}"), thing(t, "v1", "Service", "spec: {ports: [{port: 81}, {port: 80, targetPort: 80}]}"),
			[]string{`spec.ports /spec/ports ["port=81","port=80"] / ["port=80","port=81"]`, "spec.ports[port=80].targetPort /spec/ports/1/targetPort 80 / 8080"},
		},
		"mounts, devices, aliases, claims, gates": {
			pods(t, "{hostAliases: [{ip: 10.0.0.1, hostnames: [a]}], schedulingGates: [{name: g}], resourceClaims: [{name: r, resourceClaimName: a}], initContainers: [{name: i, volumeMounts: [{mountPath: /a, name: a}], volumeDevices: [{devicePath: /d, name: a}], resources: {claims: [{name: r, request: a}]}}]}"),
			pods(t, "{hostAliases: [{ip: 10.0.0.1, hostnames: [b]}], schedulingGates: [{name: h}], resourceClaims: [{name: r, resourceClaimName: b}], initContainers: [{name: i, volumeMounts: [{mountPath: /a, name: b}], volumeDevices: [{devicePath: /d, name: b}], resources: {claims: [{name: r, request: b}]}}]}"),
			[]string{
				field + `.hostAliases[ip=10.0.0.1].hostnames[0] ` + path + `/hostAliases/0/hostnames/0 "b" / "a"`,
				field + `.initContainers[name=i].resources.claims[name=r].request ` + path + `/initContainers/0/resources/claims/0/request "b" / "a"`,
				field + `.initContainers[name=i].volumeDevices[devicePath=/d].name ` + path + `/initContainers/0/volumeDevices/0/name "b" / "a"`,
				field + `.initContainers[name=i].volumeMounts[mountPath=/a].name ` + path + `/initContainers/0/volumeMounts/0/name "b" / "a"`,
				field + `.resourceClaims[name=r].resourceClaimName ` + path + `/resourceClaims/0/resourceClaimName "b" / "a"`,
				field + `.schedulingGates[name=h] ` + path + `/schedulingGates/0 {"name":"h"} / -`,
				field + `.schedulingGates[name=g] ` + path + `/schedulingGates/1 - / {"name":"g"}`,
			},
		},
		"spread constraints": {
			pods(t, "{topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}]}"), pods(t, "{topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 2}]}"),
			[]string{field + ".topologySpreadConstraints[topologyKey=zone,whenUnsatisfiable=DoNotSchedule].maxSkew " + path + "/topologySpreadConstraints/0/maxSkew 2 / 1"},
		},
		"the secrets of a service account, and its pull secrets, which are replaced as a whole": {
			thing(t, "v1", "ServiceAccount", "secrets: [{name: a}], imagePullSecrets: [{name: a}]"), thing(t, "v1", "ServiceAccount", "secrets: [{name: b}, {name: a}], imagePullSecrets: [{name: b}, {name: a}]"),
			[]string{`imagePullSecrets[0].name /imagePullSecrets/0/name "b" / "a"`, `imagePullSecrets[1] /imagePullSecrets/- {"name":"a"} / -`, `secrets[name=b] /secrets/0 {"name":"b"} / -`},
		},
		"webhooks and their conditions": {
			thing(t, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks: [{name: a.b.c, matchConditions: [{name: x, expression: a}]}]"),
			thing(t, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks: [{name: a.b.c, matchConditions: [{name: w}, {name: x, expression: b}]}]"),
			[]string{`webhooks[name=a.b.c].matchConditions[name=w] /webhooks/0/matchConditions/0 {"name":"w"} / -`, `webhooks[name=a.b.c].matchConditions[name=x].expression /webhooks/0/matchConditions/1/expression "b" / "a"`},
		},
		"variables of a validating policy, and of a mutating one, which are replaced as a whole": {
			thing(t, "admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", "spec: {variables: [{name: a}]}"), thing(t, "admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", "spec: {variables: [{name: b}]}"),
			[]string{`spec.variables[0].name /spec/variables/0/name "b" / "a"`},
		},
		"a set": {
			thing(t, "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "spec: {validationActions: [Deny, Audit]}"), thing(t, "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "spec: {validationActions: [Warn, Audit, Deny]}"),
			[]string{`spec.validationActions /spec/validationActions ["Audit","Deny"] / ["Deny","Audit"]`, `spec.validationActions[Warn] /spec/validationActions/0 "Warn" / -`},
		},
		"versions of a definition go by index": {
			thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {versions: [{name: v1, served: true}]}"), thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {versions: [{name: v1, served: false}]}"),
			[]string{"spec.versions[0].served /spec/versions/0/served false / true"},
		},
		"the peers of a network policy go by index": {
			thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{ports: [{port: 80}]}]}"), thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{ports: [{port: 81}]}]}"),
			[]string{"spec.ingress[0].ports[0].port /spec/ingress/0/ports/0/port 81 / 80"},
		},
		"keys that do not distinguish elements are compared by index": {
			container("ports: [{containerPort: 80}, {containerPort: 80}]"), container("ports: [{containerPort: 80, name: a}, {containerPort: 80}]"),
			[]string{app + ".ports[0].name " + appPath + `/ports/0/name "a" / -`},
		},
		"keys that are missing go by index": {pods(t, "{containers: [{image: a}]}"), pods(t, "{containers: [{image: b}]}"), []string{field + ".containers[0].image " + path + `/containers/0/image "b" / "a"`}},
		"custom resources go by index":      {sample(t, "{containers: [{name: a}]}"), sample(t, "{containers: [{name: b}]}"), []string{`spec.containers[0].name /spec/containers/0/name "b" / "a"`}},
		"custom resources of a group of Kubernetes' own domain go by index": {
			thing(t, "gateway.networking.k8s.io/v1", "Gateway", "spec: {containers: [{name: a}]}"), thing(t, "gateway.networking.k8s.io/v1", "Gateway", "spec: {containers: [{name: b}]}"),
			[]string{`spec.containers[0].name /spec/containers/0/name "b" / "a"`},
		},
		"args, longer and shorter": {
			pods(t, "{containers: [{name: a, args: [x], command: [v, w]}]}"), pods(t, "{containers: [{name: a, args: [x, v, w], command: [v]}]}"),
			[]string{
				field + ".containers[name=a].args[1] " + path + `/containers/0/args/- "v" / -`, field + ".containers[name=a].args[2] " + path + `/containers/0/args/- "w" / -`,
				field + ".containers[name=a].command[1] " + path + `/containers/0/command/1 - / "w"`,
			},
		},
		"keys that are no words": {
			config(t, "metadata: {name: a}\ndata: {a.b: x, '': x, 'say \"x\"': x}"), config(t, "metadata: {name: a, annotations: {meta.helm.sh/release-name: web}}\ndata: {a_b-1: x}"),
			[]string{
				`data[""] /data/ - / "x"`, `data["a.b"] /data/a.b - / "x"`, `data.a_b-1 /data/a_b-1 "x" / -`, `data["say \"x\""] /data/say "x" - / "x"`,
				`metadata.annotations["meta.helm.sh/release-name"] /metadata/annotations/meta.helm.sh~1release-name "web" / -`,
			},
		},
		"elements whose key would be misread": {
			pods(t, "{volumes: [{name: 'a,b=[c]', emptyDir: {}}]}"), pods(t, "{volumes: [{name: 'a,b=[c]'}]}"),
			[]string{field + `.volumes[name="a,b=[c]"].emptyDir ` + path + `/volumes/0/emptyDir - / {}`},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, describeFields(compare(tt.desired, tt.live))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
