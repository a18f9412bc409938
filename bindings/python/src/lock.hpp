// The lock of an object that calls of several Python threads share.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace broadside::python {

/// Calls that read run at once, one that changes something runs alone. Calls wait in the order in which they came, so
/// that no stream of readers keeps a writer out. To be taken without the GIL, and no Python object is touched while it
/// is held: a thread that waits for it does not stop the thread that holds it.
class ReadWriteLock {
public:
    template <class Call>
    auto read(const Call& call) {
        std::shared_lock lock(mutex_, std::defer_lock);
        {
            const std::lock_guard turn(turn_);
            lock.lock();
        }
        return call();
    }
    template <class Call>
    auto write(const Call& call) {
        const std::lock_guard turn(turn_);
        const std::lock_guard lock(mutex_);
        return call();
    }
    /// A lock for reading if none has to be waited for: it may be taken with the GIL, and kept for a short call. To
    /// be given back before a Python object is made, which may run a finalizer that calls the same object.
    std::shared_lock<std::shared_mutex> try_read() {
        const std::unique_lock turn(turn_, std::try_to_lock);
        return turn ? std::shared_lock(mutex_, std::try_to_lock) : std::shared_lock(mutex_, std::defer_lock);
    }
    /// The same for a short change.
    std::unique_lock<std::shared_mutex> try_write() {
        const std::unique_lock turn(turn_, std::try_to_lock);
        return turn ? std::unique_lock(mutex_, std::try_to_lock) : std::unique_lock(mutex_, std::defer_lock);
    }

private:
    std::mutex turn_;
    std::shared_mutex mutex_;
};

}  // namespace broadside::python
