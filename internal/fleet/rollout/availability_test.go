package rollout

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestAvailabilityOf(t *testing.T) {
	const deployment = "apiVersion: apps/v1\nmetadata: {generation: 2}\n"
	tests := map[string]struct {
		resource, object string
		want             Availability
		missing          string
	}{
		"deployment ready": {"deployments", deployment + "spec: {replicas: 2}\nstatus: {observedGeneration: 2, availableReplicas: 2, updatedReplicas: 2}", Available, ""},
		"deployment of one by default": {
			"deployments", deployment + "status: {observedGeneration: 2, availableReplicas: 1, updatedReplicas: 1}", Available, "",
		},
		"deployment of none": {"deployments", deployment + "spec: {replicas: 0}\nstatus: {observedGeneration: 2}", Available, ""},
		"deployment not seen": {
			"deployments", deployment + "status: {observedGeneration: 1, availableReplicas: 1, updatedReplicas: 1}", NotYet, "the controller has not seen the change yet",
		},
		"deployment without status": {"deployments", deployment, NotYet, "the controller has not seen the change yet"},
		"deployment not updated": {
			"deployments", deployment + "spec: {replicas: 3}\nstatus: {observedGeneration: 2, availableReplicas: 3, updatedReplicas: 1}", NotYet, "1 of 3 replicas are updated",
		},
		"deployment not available": {
			"deployments", deployment + "spec: {replicas: 3}\nstatus: {observedGeneration: 2, availableReplicas: 2, updatedReplicas: 3}", NotYet, "2 of 3 replicas are available",
		},
		"deployment with more than it should": {
			"deployments", deployment + "status: {observedGeneration: 2, availableReplicas: 1, updatedReplicas: 1, unavailableReplicas: 1}", NotYet, "1 replicas are unavailable",
		},
		"deployment that makes no sense": {"deployments", deployment + "spec: {replicas: two}", Failed, "spec.replicas has a value of the wrong type"},
		"deployment with half a replica": {"deployments", deployment + "spec: {replicas: 0.5}", Failed, "spec.replicas has a value of the wrong type"},
		"deployment without a spec":      {"deployments", deployment + "spec: text", Failed, "spec.replicas has a value of the wrong type"},
		"stateful set ready": {
			"statefulsets", deployment + "status: {observedGeneration: 2, availableReplicas: 1, currentReplicas: 1, updatedReplicas: 1, currentRevision: a, updateRevision: a}", Available, "",
		},
		"stateful set in between": {
			"statefulsets", deployment + "status: {observedGeneration: 2, availableReplicas: 1, currentReplicas: 1, updatedReplicas: 1, currentRevision: a, updateRevision: b}", NotYet, "1 of 1 replicas are updated",
		},
		"stateful set not updated": {
			"statefulsets", deployment + "status: {observedGeneration: 2, availableReplicas: 1, currentReplicas: 1}", NotYet, "0 of 1 replicas are updated",
		},
		"stateful set not available": {"statefulsets", deployment + "spec: {replicas: 2}\nstatus: {observedGeneration: 2}", NotYet, "0 of 2 replicas are available"},
		"stateful set not seen":      {"statefulsets", deployment, NotYet, "the controller has not seen the change yet"},
		"stateful set of another version": {
			"statefulsets", "apiVersion: apps/v1beta2\nmetadata: {generation: 2}", NotTrackable, "",
		},
		"daemon set without nodes": {"daemonsets", deployment + "status: {observedGeneration: 2}", Available, ""},
		"daemon set not available": {
			"daemonsets", deployment + "status: {observedGeneration: 2, desiredNumberScheduled: 3, numberAvailable: 1}", NotYet, "1 of 3 nodes run an available pod",
		},
		"daemon set not updated": {
			"daemonsets", deployment + "status: {observedGeneration: 2, currentNumberScheduled: 3, updatedNumberScheduled: 2}", NotYet, "2 of 3 nodes run an updated pod",
		},
		"daemon set not seen":   {"daemonsets", deployment, NotYet, "the controller has not seen the change yet"},
		"service":               {"services", "apiVersion: v1\nspec: {clusterIPs: [10.0.0.1]}", Available, ""},
		"service, headless":     {"services", "apiVersion: v1\nspec: {type: ClusterIP, clusterIPs: [None]}", Available, ""},
		"service with no IP":    {"services", "apiVersion: v1\nspec: {type: NodePort}", NotYet, "no cluster IP is assigned"},
		"service with empty IP": {"services", "apiVersion: v1\nspec: {clusterIPs: ['']}", NotYet, "no cluster IP is assigned"},
		"49 load balancer with no address": {
			"services", "apiVersion: v1\nspec: {type: LoadBalancer, clusterIPs: [10.0.0.1]}", NotYet, "the load balancer has no address yet",
		},
		"load balancer with an IP":    {"services", "apiVersion: v1\nspec: {type: LoadBalancer}\nstatus: {loadBalancer: {ingress: [{ip: 1.2.3.4}]}}", Available, ""},
		"load balancer with a name":   {"services", "apiVersion: v1\nspec: {type: LoadBalancer}\nstatus: {loadBalancer: {ingress: [{hostname: a}]}}", Available, ""},
		"load balancer, second only":  {"services", "apiVersion: v1\nspec: {type: LoadBalancer}\nstatus: {loadBalancer: {ingress: [{}, {ip: 1.2.3.4}]}}", NotYet, "the load balancer has no address yet"},
		"external name":               {"services", "apiVersion: v1\nspec: {type: ExternalName}", NotTrackable, ""},
		"service of knative":          {"services", "apiVersion: serving.knative.dev/v1", NotTrackable, ""},
		"service that makes no sense": {"services", "apiVersion: v1\nspec: {clusterIPs: 10.0.0.1}", Failed, "spec.clusterIPs has a value of the wrong type"},
		"definition": {
			"customresourcedefinitions", "apiVersion: apiextensions.k8s.io/v1\nstatus: {conditions: [{type: NamesAccepted, status: 'True'}, {type: Established, status: 'True'}]}", Available, "",
		},
		"definition with a name that is taken": {
			"customresourcedefinitions", "apiVersion: apiextensions.k8s.io/v1\nstatus: {conditions: [{type: NamesAccepted, status: 'False'}, {type: Established, status: 'True'}]}", NotYet, "condition NamesAccepted is not True",
		},
		"definition just made": {"customresourcedefinitions", "apiVersion: apiextensions.k8s.io/v1", NotYet, "condition Established is not True"},
		"definition that makes no sense": {
			"customresourcedefinitions", "apiVersion: apiextensions.k8s.io/v1\nstatus: {conditions: [a]}", Failed, "status.conditions has a value of the wrong type",
		},
		"budget with room": {
			"poddisruptionbudgets", "apiVersion: policy/v1\nstatus: {disruptionsAllowed: 1, conditions: [{type: DisruptionAllowed, status: 'True', reason: SufficientPods}]}", Available, "",
		},
		"budget without room": {
			"poddisruptionbudgets", "apiVersion: policy/v1\nstatus: {conditions: [{type: DisruptionAllowed, status: 'False', reason: InsufficientPods}]}", Available, "",
		},
		"budget in between": {
			"poddisruptionbudgets", "apiVersion: policy/v1\nstatus: {disruptionsAllowed: 1, conditions: [{type: DisruptionAllowed, status: 'False', reason: InsufficientPods}]}",
			NotYet, "the controller has not computed the allowed disruptions yet",
		},
		"budget not seen": {
			"poddisruptionbudgets", "apiVersion: policy/v1\nmetadata: {generation: 1}\nstatus: {conditions: [{type: DisruptionAllowed, status: 'False', reason: InsufficientPods}]}",
			NotYet, "the controller has not computed the allowed disruptions yet",
		},
		"data":                {"configmaps", "apiVersion: v1", Available, ""},
		"role":                {"clusterroles", "apiVersion: rbac.authorization.k8s.io/v1", Available, ""},
		"role of old":         {"clusterroles", "apiVersion: rbac.authorization.k8s.io/v1beta1", NotTrackable, ""},
		"job":                 {"jobs", "apiVersion: batch/v1", NotTrackable, ""},
		"50 autoscaler":       {"horizontalpodautoscalers", "apiVersion: autoscaling/v2", NotTrackable, ""},
		"webhooks":            {"mutatingwebhookconfigurations", "apiVersion: admissionregistration.k8s.io/v1", NotTrackable, ""},
		"custom resource":     {"samples", "apiVersion: example.org/v1", NotTrackable, ""},
		"volume claim":        {"persistentvolumeclaims", "apiVersion: v1", NotTrackable, ""},
		"controller revision": {"controllerrevisions", "apiVersion: apps/v1", Available, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			// Some decoders decode integers as float64.
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte(tt.object), &object); err != nil {
				t.Fatal(err)
			}
			for _, numbers := range []string{"float64", "int64"} {
				got, missing := AvailabilityOf(&unstructured.Unstructured{Object: object}, tt.resource)
				if got != tt.want || missing != tt.missing {
					t.Errorf("with %s: got %s %q, want %s %q", numbers, got, missing, tt.want, tt.missing)
				}
				u := &unstructured.Unstructured{Object: object}
				part := partOf(u, Fields(u.GroupVersionKind().GroupVersion().WithResource(tt.resource)))
				if got, _ := AvailabilityOf(part, tt.resource); got != tt.want {
					t.Errorf("with %s, with only the fields that are read: got %s, want %s", numbers, got, tt.want)
				}
				object, _ = wholeNumbers(object).(map[string]any)
			}
		})
	}
}

// partOf returns the values at some paths of an object. If a path leads through another type, that value is included.
func partOf(u *unstructured.Unstructured, paths []string) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(u.GroupVersionKind())
	for _, path := range paths {
		from, to := u.Object, out.Object
		keys := strings.Split(path, ".")
		for i, key := range keys {
			value, found := from[key]
			inner, is := value.(map[string]any)
			if !found || !is || i == len(keys)-1 {
				if found {
					to[key] = value
				}
				break
			}
			if to[key] == nil {
				to[key] = map[string]any{}
			}
			from, to = inner, to[key].(map[string]any) //nolint:forcetypeassert // it was made so
		}
	}
	return out
}

// wholeNumbers converts integers to int64, as the other decoders do.
func wholeNumbers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, element := range value {
			value[key] = wholeNumbers(element)
		}
	case []any:
		for i, element := range value {
			value[i] = wholeNumbers(element)
		}
	case float64:
		if float64(int64(value)) == value {
			return int64(value)
		}
	}
	return value
}
