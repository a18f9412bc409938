// The lock of an object that calls of several Python threads share.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace broadside::python {

/// Calls that read run at once, one that changes something runs alone. Calls wait in the order in which they came, so
/// that no stream of readers keeps a writer out. To be taken without the GIL, and no Python object is touched while it
/// is held: who waits for it keeps nobody from going on who holds it.
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

private:
    std::mutex turn_;
    std::shared_mutex mutex_;
};

}  // namespace broadside::python
