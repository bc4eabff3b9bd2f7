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

// reserve makes room on the disk for n bytes more: a full disk is found here, and not where the memory is written to.
func reserve(f *os.File, from, n int) error {
	for {
		if err := syscall.Fallocate(int(f.Fd()), 0, int64(from), int64(n)); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// leave tells the system that b is not in use: it stays in the file only.
func leave(b []byte) { _ = syscall.Madvise(b, syscall.MADV_DONTNEED) }

func unmap(b []byte) { _ = syscall.Munmap(b) }
