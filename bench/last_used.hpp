// Data shared by consecutive rows.
#pragma once

#include <memory>
#include <string>

namespace broadside::bench {

/// Made by the first row that needs it. Only the last is kept: otherwise a run of all rows would end with
/// every scene in memory.
template <class Value>
class LastUsed {
public:
    template <class Make>
    Value& get(const std::string& key, Make&& make) {
        if (value_ == nullptr || key != key_) {
            value_ = nullptr;
            value_ = std::make_unique<Value>(make());
            key_ = key;
        }
        return *value_;
    }

private:
    std::string key_;
    std::unique_ptr<Value> value_;
};

}  // namespace broadside::bench
