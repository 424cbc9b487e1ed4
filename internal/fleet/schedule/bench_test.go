package schedule

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// benchFleet returns clusters with 10 regions, 30 zones, a taint on every seventh, and properties.
func benchFleet(count int) []Cluster {
	out := make([]Cluster, count)
	for i := range out {
		out[i] = Cluster{
			Name: fmt.Sprintf("cluster-%05d", i),
			Labels: map[string]string{
				"region": "region-" + strconv.Itoa(i%10), "zone": "zone-" + strconv.Itoa(i/10%30), "env": []string{"prod", "dev"}[i%2], "tier": strconv.Itoa(i % 5),
			},
			Properties: map[string]string{member.NodeCountProperty: strconv.Itoa(1 + i*7919%1000)},
			Usage:      ResourceUsage{Available: map[string]string{"cpu": strconv.Itoa(i*104729%64000) + "m", "memory": strconv.Itoa(1+i%512) + "Gi"}},
			Agent:      &Agent{LastReceivedHeartbeat: now, Joined: &Condition{Status: "True"}, Healthy: &Condition{Status: "True"}},
		}
		if i%7 == 0 {
			out[i].Taints = []member.Taint{{Key: "gpu", Effect: "NoSchedule"}}
		}
	}
	return out
}

// BenchmarkSchedule schedules on fleets of several sizes. All runs keep the reason for every cluster.
func BenchmarkSchedule(b *testing.B) {
	affinity := []option{required(label("env:prod"), label("tier:1")), preferred(20, label("tier:2"))}
	two := []option{spreadBy("region", 1, "DoNotSchedule"), spreadBy("zone", 2, "ScheduleAnyway")}
	sorters := []option{
		preferred(50, sorted(kubefleetapi.ResourcePrefix+"available-cpu", "Descending")), preferred(30, sorted(member.NodeCountProperty, "Ascending")),
	}
	join := func(lists ...[]option) (out []option) {
		for _, list := range lists {
			out = append(out, list...)
		}
		return out
	}
	policies := []struct {
		name   string
		policy *placement.Policy
	}{
		{"PickAll", all()},
		{"PickAll/affinity", all(affinity[0])},
		{"PickN=10", pick(10, affinity...)},
		{"PickN=100", pick(100, affinity...)},
		{"PickN=10/spread=2", pick(10, two...)},
		{"PickN=100/spread=2", pick(100, two...)},
		{"PickN=100/spread=unique", pick(100, spreadBy("name", 1, "DoNotSchedule"), two[1])},
		{"PickN=800/spread=unique", pick(800, spreadBy("name", 1, "DoNotSchedule"))},
		{"PickN=800/spread=unique+region", pick(800, spreadBy("name", 1, "DoNotSchedule"), two[0])},
		{"PickN=100/sorters=2", pick(100, sorters...)},
		{"PickN=100/spread=2/sorters=2", pick(100, join(affinity, two, sorters)...)},
	}
	for _, size := range []int{100, 1000, 10000} {
		clusters := benchFleet(size)
		for i := range clusters {
			clusters[i].Labels["name"] = clusters[i].Name
		}
		for _, p := range policies {
			b.Run(fmt.Sprintf("clusters=%d/%s", size, p.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Schedule(Input{Policy: p.policy, Clusters: clusters, Now: now}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
