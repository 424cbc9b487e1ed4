package bench_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// sizesVariable is the environment variable with the fleet sizes, separated by commas.
const sizesVariable = "FLEET_BENCH_MEMBERS"

func sizes(tb testing.TB) []int {
	tb.Helper()
	text := os.Getenv(sizesVariable)
	if text == "" {
		text = "10,50"
	}
	var out []int
	for _, part := range strings.Split(text, ",") {
		size, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || size < 2 {
			tb.Fatalf("%s=%q: want numbers of two and more, separated by commas", sizesVariable, text)
		}
		out = append(out, size)
	}
	return out
}

// pair is two members for the tests. The first test that needs them starts them.
var pair = sync.OnceValues(func() (*clusters.Env, error) {
	return clusters.Start(context.Background(), clusters.Options{Members: 2, NoHub: true, NoWorkloads: true})
})

var pairStarted bool

func TestMain(m *testing.M) {
	status := m.Run()
	if pairStarted {
		if env, err := pair(); err == nil {
			if err := env.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, "clusters:", err)
				status = max(status, 1)
			}
		}
	}
	fmt.Print(rows.table())
	os.Exit(status)
}

// needPair returns the pair. Without TF_ACC, it skips the test, as clusters.Need does.
func needPair(t *testing.T) *clusters.Env {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		clusters.Need(t, nil)
	}
	pairStarted = true
	env, err := pair()
	if err != nil {
		t.Fatal(err)
	}
	return env
}
