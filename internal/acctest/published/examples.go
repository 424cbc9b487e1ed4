package published

// An example is a configuration of testdata on the fleet of testdata/fleet.tf, and the results of its applies.
type example struct {
	// file has the configuration.
	file string
	// resource is the address of the placement.
	resource string
	// places are the objects of the placement that every engine places, such as "v1 ConfigMap app/settings".
	places []string
	// alone: this example cannot be applied together with others, so [Configuration] leaves it out.
	alone bool
	// deletesTakenOver is the engine whose hub, when the placement is deleted, also deletes the objects that the placement took over. The engine's guide says
	// so.
	deletesTakenOver string
	steps            []step
}

// A step is one apply of an example.
type step struct {
	// name is the row of the table.
	name string
	// variables are arguments of the command.
	variables []string
	// on are the members on which the objects are in the end, nil if number is set.
	on []string
	// number is the number of members on which the objects are in the end, if the engine may choose.
	number int
	// problems are the beginnings of the lines of the attribute problems.
	problems []string
	// refused is the reason for which an engine rejects the plan, by engine.
	refused map[string]reason
}

// A reason is a text that both an error of a plan and a page of the documents have.
type reason struct{ page, text string }

var (
	noSpread = map[string]reason{"kubeadmiral": {
		"templates/guides/kubeadmiral.md", "A host cluster does not spread objects over the values of a cluster label. Remove the constraints, or name the clusters.",
	}}
	noEnvelopes = map[string]reason{"kubeadmiral": {
		"templates/guides/kubeadmiral.md", "A host cluster does not open envelopes. Use the argument manifests of the placement instead.",
	}}
	ofAnotherNamespace = reason{
		"docs/resources/envelope_configmap.md", "An envelope contains only objects of its own namespace and cluster-scoped objects",
	}
)

var (
	all   = []string{"member-1", "member-2", "member-3"}
	first = all[:1]
)

const quota = "v1 ResourceQuota app/mem-cpu-demo"

var examples = []example{
	{file: "envelope.tf", resource: "fleet_crp.app", places: []string{"v1 ConfigMap app/settings", quota, webhook}, steps: []step{
		{name: "an envelope with a quota and a webhook", on: first, refused: noEnvelopes},
	}},
	{file: "envelope-rejected.tf", resource: "fleet_crp.broken", places: []string{"v1 ConfigMap test-ns/settings"}, steps: []step{
		{
			name: "an envelope with an object that members reject", on: first, refused: noEnvelopes,
			problems: []string{"member-1: ResourceQuota test-ns/mem-cpu-demo"},
		},
	}},
	{file: "envelope-of-another-namespace.tf", resource: "fleet_crp.elsewhere", alone: true, steps: []step{
		{name: "an envelope with an object of another Namespace", refused: map[string]reason{
			"direct": ofAnotherNamespace, "kubefleet": ofAnotherNamespace, "kubeadmiral": ofAnotherNamespace,
		}},
	}},
	{file: "pick-all.tf", resource: "fleet_crp.all", places: []string{"v1 ConfigMap prod-deployment/settings"}, steps: []step{
		{name: "PickAll with a label", on: all[:2]},
	}},
	{file: "every-member.tf", resource: "fleet_crp.every", alone: true, places: []string{"v1 ConfigMap prod-deployment/settings"}, steps: []step{
		{name: "PickAll without a label", on: all},
	}},
	{file: "pick-fixed.tf", resource: "fleet_crp.fixed", places: []string{"v1 ConfigMap test-deployment/settings"}, steps: []step{
		{name: "PickFixed", on: all[:2]},
	}},
	{file: "affinities.tf", resource: "fleet_crp.affinity", places: []string{"v1 ConfigMap critical/settings"}, steps: []step{
		{name: "PickN with affinities, one cluster", variables: []string{"-var=number_of_clusters=1"}, on: first},
		{name: "PickN with affinities, scaled out to three clusters", on: all},
	}},
	{file: "spread.tf", resource: "fleet_crp.spread", places: []string{"v1 ConfigMap spread/settings"}, steps: []step{
		{name: "PickN with topology spread constraints", number: 2, refused: noSpread},
	}},
	{file: "rolling-update.tf", resource: "fleet_crp.rolling", places: []string{"v1 ConfigMap rolling/settings"}, steps: []step{
		{name: "RollingUpdate with its defaults", on: all},
	}},
	{file: "status.tf", resource: "fleet_crp.status", places: []string{"v1 ConfigMap test/test-1"}, steps: []step{
		{name: "PickN on two clusters, and its status", number: 2},
	}},
	{file: "tolerations.tf", resource: "fleet_crp.tolerant", alone: true, places: []string{"v1 ConfigMap tolerant/settings"}, steps: []step{
		{name: "a taint that is not tolerated", variables: []string{taint}, on: all[1:]},
		{name: "a taint that is tolerated", variables: []string{taint, toleration}, on: all},
	}},
	{file: "takeover.tf", resource: "fleet_crp.web_2", deletesTakenOver: "kubefleet", places: []string{
		"apps/v1 Deployment web-2/web", "v1 Service web-2/web",
	}, steps: []step{
		{name: "a pre-existing workload, Never", on: all, problems: []string{
			"member-2: Deployment web-2/web: NotTakenOver", "member-2: Namespace web-2: NotTakenOver", "member-2: Service web-2/web: NotTakenOver",
		}},
		{
			name: "a pre-existing workload, IfNoDiff", variables: []string{"-var=when_to_take_over=IfNoDiff"}, on: all,
			problems: []string{"member-2: Deployment web-2/web: FailedToTakeOver"},
		},
		{name: "a pre-existing workload, Always", variables: []string{"-var=when_to_take_over=Always"}, on: all},
	}},
	{file: "federate.tf", alone: true, places: []string{"apps/v1 Deployment nginx/my-nginx", "v1 Service nginx/my-nginx"}, steps: []step{
		{name: "a workload that runs on a member, federated", on: first},
	}},
}

const (
	webhook    = "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration azure-wi-webhook-mutating-webhook-configuration"
	taint      = `-var=taints={"member-1":[{"key":"test-key1","value":"test-value1","effect":"NoSchedule"}]}`
	toleration = `-var=tolerations=[{"key":"test-key1","operator":"Equal","value":"test-value1","effect":"NoSchedule"}]`
)
