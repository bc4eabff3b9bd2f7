package analyze

import (
	"errors"
	"os"
	"syscall"
)

// canMap tells that a file can be mapped, let go of, and given its room on the disk in advance.
const canMap = true

// mapFile maps as many bytes of f as it may have at most.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// reserve makes room on the disk for n bytes more: so a full disk is found here, and not where the memory is written to,
// but on file systems that write everything to a new place. Where there is none the file stays as it is.
func reserve(f *os.File, from, n int) error {
	for {
		err := syscall.Fallocate(int(f.Fd()), 0, int64(from), int64(n))
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			_ = f.Truncate(int64(from)) // without what there was room for
		}
		return err
	}
}

// leave tells the system that b is not in use: it stays in the file only.
func leave(b []byte) { _ = syscall.Madvise(b, syscall.MADV_DONTNEED) }

func unmap(b []byte) { _ = syscall.Munmap(b) }
