package gobuild

import (
	"context"
	"os"
	"time"
)

const lockPoll = 200 * time.Millisecond

// lock takes an exclusive lock on the file at path, which it creates. The operating system releases the lock when the process ends in any way. waiting is
// called once if another process has the lock. The file is not removed.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	reported := false
	for {
		taken, err := tryLock(file)
		if err != nil {
			_ = file.Close()
			return nil, err
		}
		if taken {
			return func() { _ = file.Close() }, nil
		}
		if !reported {
			waiting()
			reported = true
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}
