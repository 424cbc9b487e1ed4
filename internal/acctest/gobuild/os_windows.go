package gobuild

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

const (
	lockFailImmediately = 1
	lockExclusive       = 2
	errLockViolation    = syscall.Errno(33)
)

func tryLock(file *os.File) (bool, error) {
	var overlapped syscall.Overlapped
	ok, _, err := lockFileEx.Call(file.Fd(), lockExclusive|lockFailImmediately, 0, 1, 0, uintptr(unsafe.Pointer(&overlapped)))
	switch {
	case ok != 0:
		return true, nil
	case errors.Is(err, errLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return false, nil
	}
	return false, &os.PathError{Op: "lock", Path: file.Name(), Err: err}
}

// Windows cannot interrupt a process.
func interrupt(process *os.Process) error { return process.Kill() }
