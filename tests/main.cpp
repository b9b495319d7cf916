#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
int main(int argument_count, char** arguments) {
  return Catch::Session().run(argument_count, arguments);
}
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
