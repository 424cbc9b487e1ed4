package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary act as a child, and as a parent to be killed.
func TestMain(m *testing.M) {
	FollowParent()
	switch {
	case len(os.Args) > 1 && os.Args[1] == "sleeper":
		fmt.Println("asleep", strings.Join(os.Args[2:], " "))
		select {}
	case len(os.Args) > 1 && os.Args[1] == "parent":
		parent(os.Args[2])
	}
	os.Exit(m.Run())
}

func parent(dir string) {
	spawner, err := NewSpawner()
	if err != nil {
		panic(err)
	}
	for i := range 3 {
		child, err := spawner.Start(Spec{Name: "sleeper", Log: filepath.Join(dir, fmt.Sprint("log", i))})
		if err != nil {
			panic(err)
		}
		fmt.Println(child.Ref.PID)
	}
	select {}
}

func TestChildrenDieWithAKilledParent(t *testing.T) {
	cmd := exec.Command(os.Args[0], "parent", t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var children []Ref
	for range 3 {
		lines.Scan()
		var pid int
		if _, err := fmt.Sscan(lines.Text(), &pid); err != nil {
			t.Fatal(err)
		}
		children = append(children, RefOf(pid))
	}
	for _, child := range children {
		if !child.Alive() {
			t.Fatalf("child %d is not running", child.PID)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, child := range children {
		if !child.WaitGone(5 * time.Second) {
			t.Errorf("child %d outlived its parent", child.PID)
		}
	}
	_ = cmd.Wait()
}

// The pipe alone must suffice on systems without a parent death signal.
func TestLifelineAlone(t *testing.T) {
	cmd := exec.Command(os.Args[0], "sleeper")
	cmd.Env = append(os.Environ(), lifelineVariable+"=1")
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ref := RefOf(cmd.Process.Pid)
	if ref.WaitGone(200 * time.Millisecond) {
		t.Error("ended although its parent lives")
	}
	_ = lifeline.Close()
	if err := cmd.Wait(); err == nil || ref.Alive() {
		t.Errorf("after the end of the pipe: %v", err)
	}
}

func TestSpawner(t *testing.T) {
	spawner, err := NewSpawner()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	child, err := spawner.Start(Spec{Name: "sleeper", Args: []string{"well"}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); Tail(log) != "asleep well" && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	if !child.Running() || !child.Ref.Alive() {
		t.Error("the child is not running")
	}
	child.Kill()
	if child.Running() || child.Ref.Alive() {
		t.Error("the child still runs")
	}
	if err := child.Failure(); !strings.Contains(err.Error(), "killed") || !strings.Contains(err.Error(), "asleep well") {
		t.Errorf("failure: %v", err)
	}
	child.Kill()
}

func TestRefIsNotAStranger(t *testing.T) {
	self := RefOf(os.Getpid())
	if !self.Alive() {
		t.Error("this process counts as ended")
	}
	stranger := Ref{PID: self.PID, Identity: "another"}
	if stranger.Alive() || !stranger.WaitGone(0) {
		t.Error("a process with the same PID counts as the recorded one")
	}
	// This signal would end the test if it were sent.
	if err := stranger.Signal(syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if (Ref{}).Alive() || (Ref{PID: 1, Identity: Identity(1)}).Alive() {
		t.Error("another process counts as the recorded one")
	}
}

func TestTailIsShort(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(strings.Repeat("line\n", 10000)+"last\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(Tail(log), "\n"); len(lines) != 15 || lines[14] != "last" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}
