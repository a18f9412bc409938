// The declarations of a struct or class, as far as guards read them from the text.
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace broadside::test {

inline std::string without_comments(const std::string& text) {
    return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

// The statements of a struct's own scope: text in braces is left out, and a body ends one.
inline std::vector<std::string> statements_of(const std::string& body) {
    std::vector<std::string> statements;
    std::string statement;
    int depth = 0;
    for (const char c : body) {
        if (c == '{') ++depth;
        if (depth == 0 && c != ';') statement += c;
        const bool ends_body = c == '}' && --depth == 0 && statement.find('=') == std::string::npos;
        if ((c == ';' && depth == 0) || ends_body) {
            statement = std::regex_replace(statement, std::regex(R"(\s+)"), " ");
            statement = std::regex_replace(statement, std::regex("^ | $"), "");
            if (!statement.empty()) statements.push_back(statement);
            statement.clear();
        }
    }
    return statements;
}

// Not a function (a pointer to one counts as a field), a friend, a type or a constant.
inline bool is_field(const std::string& statement) {
    static const std::regex other(R"(^(friend|using|static|explicit|public|private|struct|enum|template)\b)");
    if (std::regex_search(statement, other)) return false;
    const std::size_t parenthesis = statement.find('(');
    if (parenthesis == std::string::npos) return true;
    // A call in an initialiser.
    if (statement.find('=') < parenthesis && statement.find("operator") == std::string::npos) return true;
    return statement.compare(parenthesis, 2, "(*") == 0 || statement.rfind("alignas", 0) == 0;
}

}  // namespace broadside::test
