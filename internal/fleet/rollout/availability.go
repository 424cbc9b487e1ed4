package rollout

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Availability is whether an applied object works.
type Availability string

// The availabilities. An object that is not trackable counts as available, but a rolling update then waits for unavailablePeriodSeconds.
const (
	Available    Availability = "Available"
	NotTrackable Availability = "NotTrackable"
	NotYet       Availability = "NotYet"
	Failed       Availability = "Failed"
)

// tracker determines the availability of an object of one resource. The second result describes the missing part. With a nil tracker, objects are always
// available, because no controller has to process them.
type tracker func(fields) (Availability, string)

// trackers are keyed by the exact group, version and resource: other versions of an API are not trackable.
var trackers = buildTrackers()

func buildTrackers() map[schema.GroupVersionResource]tracker {
	all := map[schema.GroupVersionResource]tracker{
		{Group: "apps", Version: "v1", Resource: "deployments"}:                               trackDeployment,
		{Group: "apps", Version: "v1", Resource: "statefulsets"}:                              trackStatefulSet,
		{Group: "apps", Version: "v1", Resource: "daemonsets"}:                                trackDaemonSet,
		{Version: "v1", Resource: "services"}:                                                 trackService,
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: trackCustomResourceDefinition,
		{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}:                    trackPodDisruptionBudget,
	}
	for group, resources := range map[string][]string{
		"":                          {"namespaces", "secrets", "configmaps", "serviceaccounts", "limitranges", "resourcequotas"},
		"rbac.authorization.k8s.io": {"roles", "clusterroles", "rolebindings", "clusterrolebindings"},
		"networking.k8s.io":         {"networkpolicies", "ingressclasses"},
		"storage.k8s.io":            {"csidrivers", "csinodes", "storageclasses", "csistoragecapacities"},
		"apps":                      {"controllerrevisions"},
		"scheduling.k8s.io":         {"priorityclasses"},
	} {
		for _, resource := range resources {
			all[schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}] = nil
		}
	}
	return all
}

// DependsOnContent reports whether AvailabilityOf depends on more of an object than its kind.
func DependsOnContent(resource schema.GroupVersionResource) bool { return trackers[resource] != nil }

// Fields returns the fields of an object that AvailabilityOf reads, for callers that read only a part of the object. It returns nil if AvailabilityOf reads
// none.
func Fields(resource schema.GroupVersionResource) []string {
	if trackers[resource] == nil {
		return nil
	}
	return fieldsOf[resource.Resource]
}

var fieldsOf = map[string][]string{
	"deployments":               {"metadata.generation", "spec.replicas", "status"},
	"statefulsets":              {"metadata.generation", "spec.replicas", "status"},
	"daemonsets":                {"metadata.generation", "status"},
	"services":                  {"spec.type", "spec.clusterIPs", "status"},
	"customresourcedefinitions": {"status"},
	"poddisruptionbudgets":      {"metadata.generation", "status"},
}

// AvailabilityOf determines the availability of an object that an apply returned, as KubeFleet's work applier does. resource is the plural name of the object's
// resource. The second result describes the missing part or, for Failed, the invalid field. Otherwise, it is empty.
func AvailabilityOf(u *unstructured.Unstructured, resource string) (Availability, string) {
	track, known := trackers[u.GroupVersionKind().GroupVersion().WithResource(resource)]
	if !known {
		return NotTrackable, ""
	}
	if track == nil {
		return Available, ""
	}
	f := fields{object: u.Object, fault: new(string)}
	availability, missing := track(f)
	if *f.fault != "" {
		return Failed, *f.fault
	}
	return availability, missing
}

func newAvailability(missing string) (Availability, string) {
	if missing == "" {
		return Available, ""
	}
	return NotYet, missing
}

// trackDeployment: all replicas are updated and available, and none is unavailable.
func trackDeployment(f fields) (Availability, string) {
	want := f.numberOr(1, "spec", "replicas")
	available, updated := f.number("status", "availableReplicas"), f.number("status", "updatedReplicas")
	unavailable := f.number("status", "unavailableReplicas")
	switch {
	case !f.isObserved():
		return newAvailability("the controller has not seen the change yet")
	case updated != want:
		return newAvailability(fmt.Sprintf("%d of %d replicas are updated", updated, want))
	case available != want:
		return newAvailability(fmt.Sprintf("%d of %d replicas are available", available, want))
	case unavailable != 0:
		return newAvailability(fmt.Sprintf("%d replicas are unavailable", unavailable))
	}
	return newAvailability("")
}

// trackStatefulSet: all replicas are available and of the new revision.
func trackStatefulSet(f fields) (Availability, string) {
	want, available := f.numberOr(1, "spec", "replicas"), f.number("status", "availableReplicas")
	current, updated := f.number("status", "currentReplicas"), f.number("status", "updatedReplicas")
	currentRevision, updateRevision := f.text("status", "currentRevision"), f.text("status", "updateRevision")
	switch {
	case !f.isObserved():
		return newAvailability("the controller has not seen the change yet")
	case available != want:
		return newAvailability(fmt.Sprintf("%d of %d replicas are available", available, want))
	case current != updated || currentRevision != updateRevision:
		return newAvailability(fmt.Sprintf("%d of %d replicas are updated", updated, want))
	}
	return newAvailability("")
}

// trackDaemonSet: all nodes that should run the Pod run an available and updated Pod. Without such nodes, the DaemonSet is available.
func trackDaemonSet(f fields) (Availability, string) {
	want, available := f.number("status", "desiredNumberScheduled"), f.number("status", "numberAvailable")
	current, updated := f.number("status", "currentNumberScheduled"), f.number("status", "updatedNumberScheduled")
	switch {
	case !f.isObserved():
		return newAvailability("the controller has not seen the change yet")
	case available != want:
		return newAvailability(fmt.Sprintf("%d of %d nodes run an available pod", available, want))
	case current != updated:
		return newAvailability(fmt.Sprintf("%d of %d nodes run an updated pod", updated, current))
	}
	return newAvailability("")
}

// trackService: the Service has a cluster IP (headless counts) or, for a load balancer, an external address. Other types are not trackable.
func trackService(f fields) (Availability, string) {
	switch f.text("spec", "type") {
	case "", "ClusterIP", "NodePort":
		if ips := f.list("spec", "clusterIPs"); len(ips) == 0 || ips[0] == "" {
			return newAvailability("no cluster IP is assigned")
		}
	case "LoadBalancer":
		if !f.hasIngress() {
			return newAvailability("the load balancer has no address yet")
		}
	default:
		return NotTrackable, ""
	}
	return newAvailability("")
}

// trackCustomResourceDefinition: the API server serves the resource.
func trackCustomResourceDefinition(f fields) (Availability, string) {
	for _, name := range []string{"Established", "NamesAccepted"} {
		if condition, found := f.findCondition(name); !found || condition["status"] != "True" {
			return newAvailability("condition " + name + " is not True")
		}
	}
	return newAvailability("")
}

// trackPodDisruptionBudget: the controller has computed the status. The status need not allow disruptions.
func trackPodDisruptionBudget(f fields) (Availability, string) {
	status, reason := "False", "InsufficientPods"
	if f.number("status", "disruptionsAllowed") > 0 {
		status, reason = "True", "SufficientPods"
	}
	condition, found := f.findCondition("DisruptionAllowed")
	if !f.isObserved() || !found || condition["status"] != status || condition["reason"] != reason {
		return newAvailability("the controller has not computed the allowed disruptions yet")
	}
	return newAvailability("")
}
