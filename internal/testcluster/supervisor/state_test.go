package supervisor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

func TestClaim(t *testing.T) {
	self := state{Supervisor: process.RefOf(os.Getpid())}
	killed := state{Supervisor: process.Ref{PID: os.Getpid(), Identity: "another"}}

	dir := filepath.Join(t.TempDir(), "new", "run")
	if err := claim(dir, self); err != nil {
		t.Fatalf("a missing directory: %v", err)
	}
	if err := claim(dir, self); err == nil || !strings.Contains(err.Error(), "run already") {
		t.Errorf("a directory in use: %v", err)
	}

	left := filepath.Join(dir, "left")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := killed.write(dir); err != nil {
		t.Fatal(err)
	}
	if err := claim(dir, self); err != nil {
		t.Errorf("the directory of a killed run: %v", err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("the files of the killed run still exist")
	}
}

func TestClaimSparesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := claim(dir, state{}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a directory with other files: %v", err)
	}
	if found, err := Down(dir); found || err != nil {
		t.Errorf("down in a directory with other files: %v, %v", found, err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

func TestDownAfterAKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	stranger := process.Ref{PID: os.Getpid(), Identity: "another"}
	if err := claim(dir, state{Supervisor: stranger, Children: []process.Ref{stranger}}); err != nil {
		t.Fatal(err)
	}
	if found, err := Down(dir); !found || err != nil {
		t.Errorf("down: %v, %v", found, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory still exists")
	}
}

func TestNames(t *testing.T) {
	if got := (Options{Hub: true, Members: 2}).names(); !slices.Equal(got, []string{"hub", "member-1", "member-2"}) {
		t.Errorf("names %v", got)
	}
}
